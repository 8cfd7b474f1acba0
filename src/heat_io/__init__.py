"""heat_io acts: database, message bus, HTTP to OpenStack, the drivers of heat_core's machines."""
