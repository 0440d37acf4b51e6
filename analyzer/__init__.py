"""citelog: does the model use a chunk less because of where the prompt put it?"""

__version__ = "0.1.0"
