"""Killable worker processes for hostile work: users' regular expressions, yaql, big YAML.

How the core's pure, synchronous code gets at them: it names the work and hands it to the Isolation
of the process (heat_core.isolation), which is a Sandbox in here. Trio code that runs an evaluation
of the core does so through heat_io.sandbox.evaluation.evaluate, which runs it in place and only
when it meets such work again in a thread. Code that does not go through it is as safe, but waits in
place for the worker: for as long as the limits allow, never longer.

The other way, to collect questions and answer them between repeated evaluations as is done for
services (heat_core.properties.answers), was not taken: yaql's values cannot be guessed in the
meantime, so a template of n expressions would have to be evaluated n times.

Measured: a job takes 0.15 ms more than the work itself; a worker starts in 0.1 s, imports yaql in
0.3 s, and takes 15 MiB, with yaql 30 MiB; `re` in place takes up to 10 ms, by its bound. All yaql
goes to the sandbox, as one small evaluation takes 2 ms and the import would stop the loop; YAML of
more than 32 KiB does, since reading it takes 20 ms and more.

Import evaluation from its module: this package is loaded by the workers too, which need no Trio.
"""

from heat_io.sandbox.limits import LIMITS, Limit
from heat_io.sandbox.pool import Sandbox, SandboxBusy

__all__ = ["LIMITS", "Limit", "Sandbox", "SandboxBusy"]
