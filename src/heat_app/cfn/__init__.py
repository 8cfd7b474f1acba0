"""Heat's CloudFormation-compatible HTTP API."""
