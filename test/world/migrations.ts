/** The schema of the platform's D1, in a form that Miniflare's D1 accepts. */
import { readdir, readFile } from "node:fs/promises";

interface Database<Statement> {
  prepare(query: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
}

const folder = new URL("../../migrations/", import.meta.url);

/** Applies every migration to an empty database, in order. It has no rows to copy between them. */
export async function applyMigrations<Statement>(db: Database<Statement>): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const file of files) {
    const text = await readFile(new URL(file, folder), "utf8");
    const statements = text.split("--> statement-breakpoint").filter((one) => /\S/.test(one));
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
  await db.batch([db.prepare(wideQuotas)]);
}

/** Tests insert more rows than the default quotas allow. Those of the quotas set limits of their own. */
const wideQuotas = `update quotas set quota_limit = 1000 * quota_limit
  where organization = '' and kind not in ('owned_organizations', 'open_uploads', 'rate_percent')`;
