"""heat_app.standalone"""
