-- Put pseudonyms into facts that were brought beside the store.
UPDATE temp.requests SET request_id = pseudonym(request_id);
UPDATE temp.chunks SET doc_id = pseudonym(doc_id)
