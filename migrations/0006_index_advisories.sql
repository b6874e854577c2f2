CREATE INDEX `advisories_by_advisory` ON `advisories` (`advisory_id`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_by_artifact` ON `advisories` (`artifact_name`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_by_component` ON `advisories` (`component_name`,`uid`);--> statement-breakpoint
CREATE INDEX `advisories_by_origin` ON `advisories` (`origin`,`uid`);