DROP INDEX `vuln_reports_by_scan`;--> statement-breakpoint
CREATE INDEX `vuln_reports_0_by_scan` ON `vuln_reports` (`ancestor0`,`scan_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_1_by_scan` ON `vuln_reports` (`ancestor1`,`scan_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_2_by_scan` ON `vuln_reports` (`ancestor2`,`scan_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_3_by_scan` ON `vuln_reports` (`ancestor3`,`scan_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_4_by_scan` ON `vuln_reports` (`ancestor4`,`scan_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_5_by_scan` ON `vuln_reports` (`ancestor5`,`scan_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `vuln_reports_children_by_uid` ON `vuln_reports` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `vuln_reports_children_by_scan` ON `vuln_reports` (`parent`,`scan_time`,`uid`);--> statement-breakpoint
CREATE INDEX `sboms_0_by_updated` ON `sboms` (`ancestor0`,`update_time`,`uid`) WHERE "ancestor0" is not null;--> statement-breakpoint
CREATE INDEX `sboms_1_by_updated` ON `sboms` (`ancestor1`,`update_time`,`uid`) WHERE "ancestor1" is not null;--> statement-breakpoint
CREATE INDEX `sboms_2_by_updated` ON `sboms` (`ancestor2`,`update_time`,`uid`) WHERE "ancestor2" is not null;--> statement-breakpoint
CREATE INDEX `sboms_3_by_updated` ON `sboms` (`ancestor3`,`update_time`,`uid`) WHERE "ancestor3" is not null;--> statement-breakpoint
CREATE INDEX `sboms_4_by_updated` ON `sboms` (`ancestor4`,`update_time`,`uid`) WHERE "ancestor4" is not null;--> statement-breakpoint
CREATE INDEX `sboms_5_by_updated` ON `sboms` (`ancestor5`,`update_time`,`uid`) WHERE "ancestor5" is not null;--> statement-breakpoint
CREATE INDEX `sboms_children_by_uid` ON `sboms` (`parent`,`uid`);--> statement-breakpoint
CREATE INDEX `sboms_children_by_updated` ON `sboms` (`parent`,`update_time`,`uid`);--> statement-breakpoint
CREATE INDEX `sboms_by_digest` ON `sboms` (`digest`,`uid`);
