"""A real cluster on this machine: a standalone master, two workers and a Spark Connect server.

    python -m engine.cluster -- pytest tests/engine

runs the command with CITELOG_SPARK naming the server, and stops every process that it started.
Everything listens on free ports of 127.0.0.1 alone. The servers are not told of PYTHONPATH: where
it alone leads to the program, workers have it because it was sent to them.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

WORKERS = 2
PATIENCE = 90  # seconds until a server listens
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"


class Cluster:
    """The processes of a cluster; `address` is where clients ask."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self._home = Path(pyspark.__file__).parent
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self._master, self._connect = _free_port(), _free_port()
        self.address = f"sc://127.0.0.1:{self._connect}"
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start everything, and wait until the server takes questions."""
        self._run("master", "spark-class", _MASTER, *_listening(self._master))
        _wait_for(self._master)
        for number in range(WORKERS):
            self.start_worker(number)
        options = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(self._connect),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2",
            "spark.executor.memory": "1g",
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
        }
        told = [word for name, value in options.items() for word in ("--conf", f"{name}={value}")]
        master = ("--master", f"spark://127.0.0.1:{self._master}")
        self._run("connect", "spark-submit", *master, *told, "--class", _CONNECT, "spark-internal")
        _wait_for(self._connect)

    def start_worker(self, number: int) -> None:
        """One more worker with one core."""
        work = ("--work-dir", str(self._folder / f"work{number}"))
        size = ("--cores", "1", "--memory", "1200m")
        master = f"spark://127.0.0.1:{self._master}"
        listening = _listening(_free_port())
        name = f"worker{number}"
        words = (*listening, *size, *work, master)
        self.workers.append(self._run(name, "spark-class", _WORKER, *words))

    def stop(self) -> None:
        """End what was started, the last first."""
        for process in reversed(self._started):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _run(self, name: str, program: str, *words: str) -> subprocess.Popen[bytes]:
        environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": sys.executable,
        }
        with (self._folder / f"{name}.log").open("wb") as told:
            process = subprocess.Popen(
                [str(self._home / "bin" / program), *words],
                env=environment,
                stdout=told,
                stderr=subprocess.STDOUT,
            )
        self._started.append(process)
        return process


@contextmanager
def running() -> Iterator[Cluster]:
    """A cluster that is gone when the block ends."""
    with TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


def _listening(port: int) -> tuple[str, ...]:
    return ("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(_free_port()))


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)
    raise SystemExit(f"nothing listens on port {port} after {PATIENCE} seconds")


def _ended(number: int, _: object) -> None:
    raise SystemExit(128 + number)  # so that what was started is stopped


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _ended)
    with running() as cluster:
        os.environ["CITELOG_SPARK"] = cluster.address
        os.environ["CITELOG_SPARK_WORKERS"] = " ".join(str(each.pid) for each in cluster.workers)
        sys.exit(subprocess.call(sys.argv[sys.argv.index("--") + 1 :]))
