"""What a running process tells: metrics, health, the page, the lines of its log."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from threading import Thread

import pytest

from entrepot.errors import EnvironmentProblemError
from entrepot.ledger import ModelRun
from entrepot.running.figures import Figures, as_metrics
from entrepot.running.job import JobReport
from entrepot.running.outcomes import Outcome, as_json_line, as_text
from entrepot.running.web import Web
from entrepot.timeline.content import Content

NOW = datetime(2026, 11, 25, 12, 0, 0, tzinfo=timezone.utc)
RUN = ModelRun("j", 7, 1, "marts.sale", "model", "success", "join", rows_read=3, rows_inserted=2, rows_updated=1)
PASSED = Outcome("arrival", NOW, NOW, JobReport(True, 7, [RUN], [], 2, 4, 1.25))
FAILED = Outcome("retry", NOW, NOW, JobReport(False, 8, [], ["sale: <b> & more"], 2, 4, 0.5), 2, timedelta(seconds=20))
FIGURES = Figures(
    at=NOW, version="1", plan="on arrival", history=(PASSED,), jobs={"finished": 1, "failed": 0}, job_seconds=1.25, rows_read=3,
    rows_written=3, last_success=NOW, failures=0, running_since=None, progress="", is_stopping=False, backlog=2,
    heard={'sh"op\\': NOW - timedelta(minutes=1), "plant": None}, queries={"answered": 5, "refused": 1, "failed": 0}, query_seconds=0.75,
)  # fmt: skip
CONTENT = Content("shop", 0, 0, [], ["a <b>"], [], [], [], [], "3 of 9, sale")
FAILING = replace(FIGURES, history=(FAILED, PASSED), failures=2)


def test_metrics_are_in_prometheus_format() -> None:
    lines = as_metrics(FIGURES).splitlines()
    samples = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert samples['entrepot_jobs_total{state="finished"}'] == "1"
    assert samples['entrepot_source_age_seconds{source="sh\\"op\\\\"}'] == "60"
    assert samples["entrepot_backlog_files"] == "2" and samples["entrepot_last_job_seconds"] == "1.25"
    assert samples["entrepot_last_success_timestamp_seconds"] == f"{NOW.timestamp():.0f}"
    assert samples['entrepot_queries_total{result="answered"}'] == "5"
    names = {name.split("{")[0] for name in samples}
    assert {line.split()[2] for line in lines if line.startswith("# TYPE")} == names
    assert not any("plant" in line for line in lines), "an age that nobody knows is no sample"


def test_the_server_tells_and_nothing_else() -> None:
    now = [FIGURES]
    web = Web("127.0.0.1", 0, lambda: now[0], lambda: CONTENT)
    Thread(target=web.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{web.server_address[1]}"

    def get(path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(address + path) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    assert get("/metrics") == (200, as_metrics(FIGURES))
    assert get("/health")[0] == 200 and json.loads(get("/health")[1])["status"] == "ok"
    assert get("/elsewhere")[0] == 404
    code, page = get("/timeline?a=b")
    assert code == 200 and 'data-live="timeline.json"' in page and "connect-src 'self'" in page and "a <b>" not in page
    assert json.loads(get("/timeline.json")[1]) == json.loads(json.dumps(CONTENT))
    now[0] = replace(FIGURES, running_since=NOW, progress="3 of 9, <sale>")
    assert json.loads(get("/health")[1])["progress"] == "3 of 9, <sale>"
    assert "A job is running: 3 of 9, &lt;sale&gt;" in get("/")[1]
    now[0] = FAILING
    code, told = get("/health")
    assert code == 503 and json.loads(told)["problems"] == ["sale: <b> & more"]
    assert "sale: &lt;b&gt; &amp; more" in get("/")[1] and "<b>" not in get("/")[1]
    now[0] = replace(FIGURES, is_stopping=True)
    assert get("/health")[0] == 503
    now[0] = replace(FIGURES, history=())
    assert json.loads(get("/health")[1])["status"] == "starting"
    with pytest.raises(EnvironmentProblemError, match="Nobody can listen at"):
        Web("127.0.0.1", web.server_address[1], lambda: FIGURES, lambda: CONTENT)
    web.shutdown()
    web.server_close()


def test_a_job_is_one_line() -> None:
    assert as_text(PASSED) == (
        "2026-11-25 12:00:00 UTC job 7 finished in 1.2 s (arrival): 2 relations, 4 tests; 3 rows read, 3 written"
    )
    assert as_text(FAILED).endswith("0 rows read, 0 written; next try in 20 s; sale: <b> & more")
    told = json.loads(as_json_line(FAILED))
    assert (told["job"], told["state"], told["failures"], told["next_try_seconds"]) == (8, "failed", 2, 20)
    assert told["problems"] == ["sale: <b> & more"] and json.loads(as_json_line(PASSED))["rows_written"] == 3
