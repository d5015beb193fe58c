"""The HTTP server: `/metrics`, `/health`, a page, and `/timeline`. It only tells; nothing can be changed or asked by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from entrepot.errors import EnvironmentProblemError
from entrepot.running.figures import Figures, as_health, as_metrics, as_page
from entrepot.timeline.content import Content
from entrepot.timeline.document import LIVE, document, rows

HTML = "text/html; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"


class Web(ThreadingHTTPServer):
    """Listens at an address of this machine."""

    daemon_threads = True

    def __init__(self, host: str, port: int, figures: Callable[[], Figures], timeline: Callable[[], Content]) -> None:
        """Listen.

        Args:
            host: a name or address of this machine
            port: 0 for a free one
            figures: how the process stands
            timeline: the chain of jobs

        Raises:
            EnvironmentProblemError: the address cannot be had
        """
        self.figures, self.timeline = figures, timeline
        try:
            super().__init__((host, port), _Request)
        except OSError as error:
            raise EnvironmentProblemError(
                f"Nobody can listen at {host}:{port}: {error.strerror}.", "Say another --http, such as 127.0.0.1:9500."
            ) from error

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let those go that have hung up."""


class _Request(BaseHTTPRequestHandler):
    """One request."""

    server: Web
    # who connects and says nothing
    timeout = 10

    def do_GET(self) -> None:
        """Tell what is asked for."""
        path = self.path.split("?")[0].rstrip("/")
        if path == "/timeline":
            self._send(200, HTML, document(self.server.timeline(), is_live=True))
            return
        if path == f"/{LIVE}":
            self._send(200, "application/json", rows(self.server.timeline()))
            return
        if path not in ("", "/metrics", "/health"):
            self.send_error(404)
            return
        figures = self.server.figures()
        if path == "/metrics":
            self._send(200, METRICS, as_metrics(figures))
        elif path == "/health":
            health = json.dumps(as_health(figures), indent=1) + "\n"
            self._send(200 if figures.is_healthy else 503, "application/json", health)
        else:
            self._send(200, HTML, as_page(figures))

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: standard output is for jobs."""

    def _send(self, code: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
