/** The recorded signers of images: what is asked about them, and how many are kept. */
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  recordSignatures,
  signersSql,
  type VerifiedSignature,
} from "../../../src/registry/images/signatures.ts";
import { pushImage } from "../../distribution/client.ts";
import { startOwnRegistry } from "../../distribution/own_registry.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let repos: string[];
let manifests: string[];
beforeAll(async () => {
  registry = await startOwnRegistry();
  const target = await registry.newTarget();
  for (let n = 0; n < 12; n += 1) await pushImage(target, `v${n}`);
  await pushImage(await registry.newTarget("other"), "latest");
  const uids = await registry.run<{ uid: string }>("select uid from repos order by name");
  repos = uids.map(({ uid }) => uid);
  const rows = await registry.run<{ uid: string }>(
    "select uid from manifests where parent = ?",
    repos[0],
  );
  manifests = rows.map(({ uid }) => uid);
});
afterAll(() => registry.stop());

const fakeDigest = (letter: string) => `sha256:${letter.repeat(64)}`;

const repo = () => repos[0] ?? "";
let now = 1_000;

/** Records the signatures of some signers, as a push of the nth manifest does. */
async function record(
  nth: number,
  digest: string,
  subjects: string[],
  more: Partial<VerifiedSignature> = {},
): Promise<void> {
  now += 1;
  const issuer = "https://issuer.example.com";
  const signatures = subjects.map((subject) => ({
    ...{ digest, issuer, subject, hasExpired: false, ...more },
  }));
  const db = drizzle(registry.db as never);
  const statements = recordSignatures({ db, now }, repo(), manifests[nth] ?? "", signatures);
  await db.batch(statements as never);
}

async function signersOf(digests: string[], of = repo()): Promise<string[]> {
  const db = drizzle(registry.db as never);
  const found = digests.map(async (digest) => {
    const known = signersSql(sql`${of}`, sql`${digest}`);
    const [row] = await db.select({ known: sql<string>`${known}` }).from(sql`(select 1)`);
    const signers = JSON.parse(row?.known ?? "[]") as { subject: string }[];
    return signers.map(({ subject }) => `${digest.slice(7, 8)} ${subject}`);
  });
  return (await Promise.all(found)).flat().sort();
}

test("a question about several digests has each signer once, of this repository only", async () => {
  const [a, b, c] = ["a", "b", "c"].map((letter) => fakeDigest(letter)) as [string, string, string];
  await record(0, a, ["ana", "ben"]);
  await record(1, a, ["ana"]);
  await record(1, b, ["ana"]);
  await record(2, c, ["cho"]);
  expect(await signersOf([a, b])).toEqual(["a ana", "a ben", "b ana"]);
  expect(await signersOf([])).toEqual([]);
  expect(await signersOf([a], repos[1])).toEqual([]);
});

test("an expired signature is recorded only if its signer is known", async () => {
  const digest = fakeDigest("d");
  await record(0, digest, ["ana"]);
  await record(1, digest, ["ana", "ben"], { hasExpired: true });
  const rows = await registry.run<{ uid: string }>(
    "select uid from image_signatures where digest = ? and subject = 'ana'",
    digest,
  );
  expect(rows).toHaveLength(2);
  expect(await signersOf([digest])).toEqual(["d ana"]);
});

test("the five newest signatures of a signer are kept, so that others have room", async () => {
  const digest = fakeDigest("e");
  for (let nth = 0; nth < 12; nth += 1) await record(nth, digest, ["ana"]);
  const rows = await registry.run<{ uid: string }>(
    "select uid from image_signatures where digest = ? order by create_time",
    digest,
  );
  expect(rows.map(({ uid }) => uid)).toEqual(manifests.slice(7));
});

test("an image has at most fifty signatures", async () => {
  const digest = fakeDigest("f");
  for (let nth = 0; nth < 8; nth += 1)
    await record(
      nth,
      digest,
      Array.from({ length: 7 }, (_, at) => `person-${nth}-${at}`),
    );
  expect(await signersOf([digest])).toHaveLength(50);
});
