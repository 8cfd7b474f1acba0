"""heat_app assembles: processes, HTTP APIs, RPC endpoints, command line, configuration, policy."""
