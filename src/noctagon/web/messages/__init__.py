"""The shapes of all that the page is sent and that it sends, each written once.

The API's OpenAPI document and the page's TypeScript declarations are generated from these structures.
"""
