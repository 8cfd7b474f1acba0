"""Heat's own parsing, validation and resolution, timed; run by Heat's Python, not ours.

Prints JSON: seconds of the processor for parse, validate and resolve (the best of some runs), and
the peak memory of the process in KiB. Services count as there and content, as in our run.
"""

import json
import logging
import resource as process
import sys
import time

from _template_sizes import PROJECT, REPEATS, attributes, template_text
from heat.common import context, template_format
from heat.engine import constraints, environment, node_data, resource, resources, stk_defn
from heat.engine import stack as stacks
from heat.engine import template as templates
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.nova import server
from oslo_config import cfg

CONTEXT = context.RequestContext(
    project_id=PROJECT, user_id="u", username="u", auth_token="t", roles=[], is_admin=False
)


def run(text, size):
    began = time.process_time()
    document = template_format.parse(text)
    template = templates.Template(document, files={}, env=environment.Environment({}))
    parsed = time.process_time()
    stack = stacks.Stack(CONTEXT, "bench", template)
    stack.validate()
    validated = time.process_time()
    for number, name in enumerate(stack):
        data = node_data.NodeData(
            number, name, f"uuid-{number}", name, attributes(name), "CREATE", "COMPLETE"
        )
        stk_defn.update_resource_data(stack.defn, name, data)
    found = []
    for one in stack.values():
        properties = one.t.freeze().properties(one.properties_schema, one.context)
        found.append(dict(properties.items()))
    outputs = {name: output.get_value() for name, output in stack.outputs.items()}
    resolved = time.process_time()
    assert len(found) == size
    assert outputs["login_0"] == "ssh app@10.0.0.10", outputs
    return parsed - began, validated - parsed, resolved - validated


def main(size):
    run(template_text(10), 10)
    text = template_text(size)
    runs = [run(text, size) for _ in range(REPEATS[size])]
    best = [min(times) for times in zip(*runs, strict=True)]
    peak = process.getrusage(process.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": best, "peak_kib": peak}))


def prepare():
    """Load the types, and take as said whatever a service would have to say."""
    logging.disable(logging.CRITICAL)
    cfg.CONF([], project="heat", default_config_files=[])
    resources.initialise()
    constraints.CustomConstraint._is_valid = lambda *args, **kwargs: True
    resource.Resource.is_service_available = classmethod(lambda cls, context: (True, None))
    server.Server._validate_image_flavor = lambda *args: None
    limits = {"maxServerMeta": 128, "maxPersonality": 5, "maxPersonalitySize": 10240}
    nova.NovaClientPlugin.absolute_limits = lambda self: limits


if __name__ == "__main__":
    prepare()
    main(int(sys.argv[1]))
