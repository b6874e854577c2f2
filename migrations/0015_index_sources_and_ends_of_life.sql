CREATE INDEX `repos_by_source` ON `repos` ("sync_config" ->> '$.source') WHERE "sync_config" is not null;--> statement-breakpoint
CREATE INDEX `tags_deprecated` ON `tags` (`class`,`uid`) WHERE "deprecated" = 1;--> statement-breakpoint
CREATE INDEX `tags_deprecated_children` ON `tags` (`parent`,`class`,`uid`) WHERE "deprecated" = 1;