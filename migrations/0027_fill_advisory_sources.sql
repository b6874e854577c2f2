-- Fills the source of advisories that were imported before it was stored. Advisories from statements have a
-- subject. Every other advisory with a digest comes from an OSV record.

UPDATE advisories SET source = iif(EXISTS (SELECT 1 FROM vex_subjects WHERE vex_subjects.uid = advisories.uid), 'vex', 'osv')
WHERE source_digest <> '';
