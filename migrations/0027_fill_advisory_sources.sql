-- What was imported before its source was noted: statements are kept with their subject, and any other
-- advisory with a digest was made from an OSV record.

UPDATE advisories SET source = iif(EXISTS (SELECT 1 FROM vex_subjects WHERE vex_subjects.uid = advisories.uid), 'vex', 'osv')
WHERE source_digest <> '';
