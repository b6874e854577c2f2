ALTER TABLE `advisories` ADD `source` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `advisories_by_source` ON `advisories` (`parent`,`source`,`uid`) WHERE "source" <> '';