"""What both HTTP APIs are made of: their stages, what is read of requests, their processes."""
