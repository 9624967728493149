"""The documentation site: pages of `docs/` and pages made from the code, built by Sphinx.

python -m tools.site                    build site/, check links and spelling
python -m tools.site --external-links   also list the links that lead to other hosts

navigation       docs/site.toml: which page stands where
staging          the pages under their addresses, links between them rewritten
reference, rest  pages made from the code: commands, settings, Python; the REST API
conf             Sphinx's settings
checks           links, requests to other hosts, spelling
"""
