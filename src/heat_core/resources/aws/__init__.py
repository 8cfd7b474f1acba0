"""Types of CloudFormation: AWS::*."""
