"""Property schemas, values and translation; attribute schemas; constraints."""

from heat_core.properties.answers import Answers, Judgement, Question
from heat_core.properties.attributes import (
    BASE_ATTRIBUTES,
    SHOW,
    Attr,
    CacheMode,
    select_from_attribute,
)
from heat_core.properties.constraints import (
    LOCAL_CHECKS,
    AllowedPattern,
    AllowedValues,
    Checks,
    Constraint,
    ConstraintSet,
    Custom,
    Length,
    Modulo,
    Range,
)
from heat_core.properties.conversion import Dialect, from_parameter, to_parameters
from heat_core.properties.kinds import Kind
from heat_core.properties.local_checks import LOCAL_CONSTRAINTS, SERVICE_CONSTRAINTS, check_locally
from heat_core.properties.patterns import Matcher, match_in_process, matches_whole
from heat_core.properties.properties import OMITTED, Properties, changed_names
from heat_core.properties.rules import Finder, Rule, RuleKind
from heat_core.properties.schema import Prop
from heat_core.properties.support import (
    Support,
    SupportStatus,
    deprecated,
    hidden,
    unsupported,
)

__all__ = [
    "BASE_ATTRIBUTES",
    "LOCAL_CHECKS",
    "LOCAL_CONSTRAINTS",
    "OMITTED",
    "SERVICE_CONSTRAINTS",
    "SHOW",
    "AllowedPattern",
    "AllowedValues",
    "Answers",
    "Attr",
    "CacheMode",
    "Checks",
    "Constraint",
    "ConstraintSet",
    "Custom",
    "Dialect",
    "Finder",
    "Judgement",
    "Kind",
    "Length",
    "Matcher",
    "Modulo",
    "Prop",
    "Properties",
    "Question",
    "Range",
    "Rule",
    "RuleKind",
    "Support",
    "SupportStatus",
    "changed_names",
    "check_locally",
    "deprecated",
    "from_parameter",
    "hidden",
    "match_in_process",
    "matches_whole",
    "select_from_attribute",
    "to_parameters",
    "unsupported",
]
