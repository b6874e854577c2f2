DROP INDEX `findings_by_image`;--> statement-breakpoint
CREATE INDEX `findings_by_image` ON `findings` (`image_uid`,`uid`);--> statement-breakpoint
DROP INDEX `sbom_packages_by_sbom`;--> statement-breakpoint
CREATE INDEX `sbom_packages_by_sbom` ON `sbom_packages` (`sbom_uid`,`uid`);
