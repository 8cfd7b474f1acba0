"""Parameters: schemas, values, groups, pseudo parameters."""

from heat_core.parameters.description import describe
from heat_core.parameters.groups import validate_groups
from heat_core.parameters.parameter import HIDDEN_TEXT, Parameter, parse_json, parse_list
from heat_core.parameters.parameters import Parameters
from heat_core.parameters.pseudo import PSEUDO_NAMES, pseudo_parameters
from heat_core.parameters.schema import ParameterSchema, read_schemata

__all__ = [
    "HIDDEN_TEXT",
    "PSEUDO_NAMES",
    "Parameter",
    "ParameterSchema",
    "Parameters",
    "describe",
    "parse_json",
    "parse_list",
    "pseudo_parameters",
    "read_schemata",
    "validate_groups",
]
