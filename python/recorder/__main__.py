"""The command ``python -m recorder``."""

from recorder.command import record

if __name__ == "__main__":
    record(prog_name="python -m recorder")
