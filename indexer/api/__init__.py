"""Indexing from Python: what std-index and std-store do, as functions that return values.

`indexer.api.indexing`, what is indexed:

    index_files          recogniser output -> an index; may also delete and merge
    preview_files        what indexing files would bring, without an index
    delete_recordings    take audio files out of an index
    rename_recording     another name for an audio file
    merge_segments       merge the segments of an index into as few as possible
    clean_up             remove replaced segments at once

`indexer.api.folders`, an index that follows a folder:

    sync_folder          what is new, changed or gone in a folder -> the same in an index
    relink_inputs        where inputs are now
    watch_folder         index what appears in a folder

`indexer.api.corrections`, what a person corrects:

    correct_recording    what a person says was said in a recording
    correct_by_table     the same by a table
    rewrite_transcript   a person's own file with the corrections
    undo_corrections     what the recogniser wrote, again
    list_corrections     what was corrected

What an index holds is read by `indexer.contents`, `indexer.export` and
`indexer.written_transcripts`. A store is a folder, ``memory:`` or ``couchdb://host/database``; an
index is one store or several, its shards.
"""
