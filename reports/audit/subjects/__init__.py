<<<<<<< HEAD
"""What the laws are asked of: each library's own objects as filters, one file a library, which imports it late."""
=======
"""What the laws are asked of, where a library's objects need more than a line; each library is imported late."""
>>>>>>> fix-opendp
