"""Server processes: a supervisor with its workers, what systemd is told, listening sockets."""

from heat_app.processes.running import Job, Mutable, run_server, run_worker
from heat_app.processes.worker import Orders, Post

__all__ = ["Job", "Mutable", "Orders", "Post", "run_server", "run_worker"]
