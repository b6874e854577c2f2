/**
 * Adds the sample data of `npm start` through the API, as the owner of the platform. It puts cli/demo into
 * `example.com`, and the free images into `public`. It can run again, even after an interrupted run: existing data
 * stays.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, openClient, tokenSource } from "./account/client.ts";
import { type Account, ownerAccount, type Signer } from "./account/credentials.ts";
import { pushSampleImage } from "./demo/push_sample.ts";
import { toFailure } from "./failure.ts";
import { newSession } from "./images/session.ts";
import { type InputSource, openSource } from "./import/lines.ts";
import { importOsv } from "./import/osv.ts";
import { importTagMoves } from "./import/tag_moves.ts";

const demo = join(import.meta.dirname, "demo");

/** The images in `public`, with every tag that the sample data has for them. */
const publicRepos = ["busybox", "nginx"];

/** Tags of versions that no longer get builds. */
const endOfLife: Record<string, string[]> = {
  alpine: ["2.7"],
  busybox: ["1.31"],
  httpd: ["2.2.32"],
  nginx: ["1.12", "1.28"],
  python: ["2.7.18", "3.2", "3.4.8", "3.6.15"],
};

/** Adds the sample data. Throws a Failure that says how far it got. */
export async function seedSampleData({ state }: { state: Signer }): Promise<void> {
  const account = ownerAccount(state);
  const client = openClient(account);
  const { organization, public: free } = state.platform;
  const into = (group: string) => ({ group, client, url: account.url });
  try {
    await importTagMoves({
      source: await openSource(file("tag-moves.jsonl")),
      ...into(organization.uid),
    });
    await importTagMoves({ source: await readPublicMoves(), ...into(free.uid) });
    await importOsv({ source: await openSource(file("osv.jsonl")), ...into(organization.uid) });
    for (const group of [organization, free]) await markEndOfLife(client, group.uid);
    await pushSample(account, organization.uid);
  } catch (error) {
    throw toFailure(error, account.url);
  }
}

const file = (name: string) => join(demo, name);

async function readPublicMoves(): Promise<InputSource> {
  const lines = (await readFile(file("tag-moves.jsonl"), "utf8")).split("\n");
  const isFree = (line: string) => line !== "" && publicRepos.includes(JSON.parse(line).repo);
  const text = lines.filter(isFree).join("\n");
  return { name: "tag-moves.jsonl", input: toChunks(Buffer.from(text)), read: 0 };
}

async function* toChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function markEndOfLife(client: Client, group: string): Promise<void> {
  for (const repo of await reposOf(client, group)) {
    for (const name of endOfLife[repo.name] ?? []) {
      const [tag] = await client.tags.list({ childrenOf: repo.uid, name }).all();
      if (!tag?.digest || tag.deprecated) continue;
      const { digest, bundles } = tag;
      const marked = { name, digest, deprecated: true, ...(bundles && { bundles }) };
      await client.tags.create(repo.uid, marked, { idempotent: true });
    }
  }
}

/** The owner of the platform owns the registry too, whose tokens have another audience. */
async function pushSample(account: Account, group: string): Promise<void> {
  const { registryUrl: url, registryAudience, vendor = "vendor" } = account;
  const token = tokenSource(account, registryAudience);
  await pushSampleImage(
    newSession({ url, vendor, isLoggedIn: true, token }),
    `${group}/hello-world`,
  );
}

const reposOf = (client: Client, group: string) =>
  client.repos.list({ childrenOf: group, pageSize: 200 }).all();
