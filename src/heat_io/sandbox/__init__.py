"""heat_io.sandbox"""
