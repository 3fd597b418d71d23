"""The figures of the papers, computed again, and pictures that explain them.

Each is a `Specification`: parameters, and how data and picture follow from them; its words stand in
`templates/figures.toml`, which lists the figures in their order. A file holds one family. What another room can compute
is computed there.
"""
