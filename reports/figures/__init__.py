"""The figures of the papers, computed again, and pictures that explain them.

Each is a specification, a function to data, and one from data to a picture.

`registry` lists them; each other file that makes a `PaperFigure` holds one family. What another room can compute is
computed there.
"""
