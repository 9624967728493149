"""searcher"""
