"""``python -m entrepot.record`` is ``entrepot record``."""

from entrepot.record.command import record

if __name__ == "__main__":
    record(prog_name="entrepot record")
