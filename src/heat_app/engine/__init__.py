"""heat_app.engine"""
