"""Identifiers that are easy to mix up, each a type of its own."""

from __future__ import annotations

from typing import NewType

StackId = NewType("StackId", str)
TraversalId = NewType("TraversalId", str)
ResourceId = NewType("ResourceId", int)
TemplateId = NewType("TemplateId", int)
FilesId = NewType("FilesId", int)
PropertiesDataId = NewType("PropertiesDataId", int)
EngineId = NewType("EngineId", str)
