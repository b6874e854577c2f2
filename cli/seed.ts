/**
 * Adds the sample data of `npm start` through the API, as the owner of the platform. It puts cli/demo into
 * `acme.example`, and the free images into `public`. It can run again, even after an interrupted run: existing data
 * stays.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, openClient, tokenSource } from "./account/client.ts";
import { type Account, ownerAccount, type Signer } from "./account/credentials.ts";
import { pushSampleImage } from "./demo/push_sample.ts";
import {
  imagesOfMoves,
  readSampleLayout,
  type SampleImage,
  type SampleMove,
} from "./demo/sample_images.ts";
import { toFailure } from "./failure.ts";
import { newSession, type Session } from "./images/session.ts";
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
  const session = registryOf(account);
  const { organization, public: free } = state.platform;
  const into = (group: string) => ({ group, client, url: account.url });
  try {
    const moves = await readMoves();
    const isFree = ({ repo }: SampleMove) => publicRepos.includes(repo);
    for (const [{ uid }, some] of [
      [organization, moves],
      [free, moves.filter(isFree)],
    ] as const) {
      await importTagMoves({ source: toSource(some), ...into(uid) });
      await markEndOfLife(client, uid);
      await pushImages(session, uid, some);
    }
    await pushSampleImage(session, `${organization.uid}/hello-world`, await readSampleLayout());
    await importOsv({ source: await openSource(file("osv.jsonl")), ...into(organization.uid) });
  } catch (error) {
    throw toFailure(error, account.url);
  }
}

const file = (name: string) => join(demo, name);

async function readMoves(): Promise<SampleMove[]> {
  const lines = (await readFile(file("tag-moves.jsonl"), "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

const toSource = (moves: SampleMove[]): InputSource => ({
  name: "tag-moves.jsonl",
  input: toChunks(Buffer.from(moves.map((move) => JSON.stringify(move)).join("\n"))),
  read: 0,
});

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

/** Pushes the images that the tags of a group point to, unless the registry has them. */
async function pushImages(session: Session, group: string, moves: SampleMove[]): Promise<void> {
  const images = await imagesOfMoves(moves);
  const pushOne = async ([repo, some]: [string, SampleMove[]]) => {
    const name = `${group}/${repo}`;
    const missing: SampleImage[] = [];
    for (const digest of new Set(some.map((move) => move.digest))) {
      const image = images.get(digest);
      const path = `/v2/${name}/manifests/${digest}`;
      if (image && (await session.send(name, { method: "HEAD", path })).status === 404)
        missing.push(image);
    }
    await pushSampleImage(session, name, {
      blobs: missing.flatMap(({ blobs }) => blobs),
      manifests: missing.flatMap(({ manifests }) => manifests),
    });
  };
  await Promise.all([...Map.groupBy(moves, ({ repo }) => repo)].map(pushOne));
}

/** The owner of the platform owns the registry too, whose tokens have another audience. */
function registryOf(account: Account): Session {
  const { registryUrl: url, registryAudience, vendor = "vendor" } = account;
  const token = tokenSource(account, registryAudience);
  return newSession({ url, vendor, isLoggedIn: true, token });
}

const reposOf = (client: Client, group: string) =>
  client.repos.list({ childrenOf: group, pageSize: 200 }).all();
