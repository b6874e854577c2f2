/** Measures how long a large repository takes to be planned, carried out and undone, and what pushes notice of it. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { below } from "../../test/world/uids.ts";
import { fillOrganization } from "../organization.ts";
import { percentile } from "../percentile.ts";
import {
  type ImageTarget,
  newSmallImage,
  pushBlob,
  putManifest,
  type SmallImage,
} from "../registry/client.ts";
import type { BenchSetup, Goal, Table } from "../report/findings.ts";
import {
  type BenchPlatform,
  letPullsBeKnown,
  makeDatabase,
  removeFolder,
  startBenchPlatform,
} from "../stage.ts";

const tagCount = 100_000;
/** Two tags for each image, of which a half is old. */
const imageCount = tagCount / 2;
/** The blobs that an image names: three that all have, and two of its own. */
const layers = { shared: 3, own: 2 };

/** In milliseconds. */
const bounds = { plan: 30_000, push: 1_000 };

export const expiryText = `A repository of ${tagCount} tags and ${imageCount} images of ${layers.shared + layers.own} blobs each has a rule by which
tags expire that have not moved for 30 days, which is a half. The plan is made, carried out and undone by calls of the API.
The calls are repeated while the plan is not complete. Meanwhile one client pushes a tag again and again in the same
repository, one push after another.`;

const day = 24 * 3_600_000;

/** Writes the repository into the SQLite file of a D1 that no one has open. Returns its uid. */
function fillRepository(file: string, root: string): string {
  const db = new DatabaseSync(file);
  db.exec("pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -400000");
  const uid = below(root, "expiring");
  const now = Date.now();
  const old = now - 60 * day;
  db.prepare("insert into repos (uid, name, create_time, update_time) values (?, ?, ?, ?)").run(
    ...([uid, "expiring", old, old] as const),
  );
  db.prepare("insert into organization_storage (uid) values (?) on conflict do nothing").run(root);
  db.prepare(
    "insert into repo_storage (uid, organization_id) select ?, id from organization_storage where uid = ?",
  ).run(uid, root);
  const { id: storage } = db.prepare("select id from repo_storage where uid = ?").get(uid) as {
    id: number;
  };
  const insert = {
    blob: db.prepare("insert into blobs (digest, size) values (unhex(?), ?) returning id"),
    manifest: db.prepare(
      `insert into manifests (uid, digest, media_type, entries, size, create_time, update_time)
        values (?, ?, 'application/vnd.oci.image.manifest.v1+json', '[]', 1000, ?, ?)`,
    ),
    reference: db.prepare("insert into manifest_references (manifest_id, blob_id) values (?, ?)"),
    link: db.prepare(
      "insert into blob_links (repo_id, kind, blob_id) values (?, ?, ?) on conflict do nothing",
    ),
    tag: db.prepare(
      "insert into tags (uid, name, digest, create_time, update_time) values (?, ?, ?, ?, ?)",
    ),
    move: db.prepare(
      "insert into tag_moves (repo_uid, tag, update_time, digest, repo, method) values (?, ?, ?, ?, 'expiring', 1)",
    ),
  };
  // Like those of real bytes: the beginnings of two digests are never the same.
  const hexOf = (n: number) => createHash("sha256").update(String(n)).digest("hex");
  const newBlob = (n: number, size: number) => Number(insert.blob.get(hexOf(n), size)?.id);
  db.exec("begin");
  const shared = Array.from({ length: layers.shared }, (_, n) => newBlob(1 + n, 50_000_000));
  for (let image = 0; image < imageCount; image += 1) {
    const time = image % 2 === 0 ? old : now - day;
    const digest = hexOf(1_000_000 + image);
    const own = Array.from({ length: layers.own }, (_, n) =>
      newBlob((n + 2) * 10_000_000 + image, 2_000_000),
    );
    const manifest = newBlob(1_000_000 + image, 1_000);
    for (const blob of [...shared, ...own]) {
      insert.reference.run(manifest, blob);
      insert.link.run(storage, 0, blob);
    }
    insert.link.run(storage, 1, manifest);
    insert.manifest.run(`${uid}/${digest.slice(-16)}`, `sha256:${digest}`, time, time);
    for (const name of [`pr-${image}`, `pr-${image}-b`]) {
      insert.tag.run(below(uid, name), name, `sha256:${digest}`, time, time);
      insert.move.run(uid, name, time, `sha256:${digest}`);
    }
  }
  db.exec("commit");
  db.exec("analyze");
  db.close();
  return uid;
}

interface Steps {
  plan: number;
  carryOut: number;
  undo: number;
  calls: number;
  /** The latencies of pushes without a plan, in milliseconds, and of those in each step. */
  quiet: number[];
  busy: Record<Step, number[]>;
}

type Step = "plan" | "carryOut" | "undo";

/** Plans, carries out and undoes it. */
export async function measureExpiry({
  bundle,
  folder,
  say,
}: BenchSetup): Promise<{ table: Table; goals: Goal[] }> {
  const workFolder = join(folder, "expiry");
  const file = await makeDatabase(workFolder);
  const { root, owner } = fillOrganization(file, 1_000);
  say(`rules: filling a repository of ${tagCount} tags`);
  const repo = fillRepository(file, root);
  const platform = await startBenchPlatform(bundle, workFolder, { meter: false });
  try {
    const api = await platform.tokenFor(owner);
    const call = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${api}`, "content-type": "application/json" };
      const request = { method: "POST", headers, body: JSON.stringify(body) };
      const answer = await fetch(`${platform.url}/registry/v2/${path}`, request);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${text}`);
      return JSON.parse(text);
    };
    const token = await platform.tokenFor(owner, platform.registryAudience);
    const target = { origin: platform.url, image: `${root}/expiring`, token };
    const images = [newSmallImage(), newSmallImage()];
    for (const image of images) for (const blob of image.blobs) await pushBlob(target, blob);
    await call(`tagRules/${repo}`, { name: "old", expire: { unmovedDays: 30 } });
    return toResults(await runSteps(platform, call, repo, target, images, say));
  } finally {
    await platform.stop();
    await removeFolder(workFolder);
  }
}

async function runSteps(
  platform: BenchPlatform,
  call: (path: string, body: object) => Promise<{ uid: string; state: string }>,
  repo: string,
  target: ImageTarget,
  images: SmallImage[],
  say: BenchSetup["say"],
): Promise<Steps> {
  const quiet: number[] = [];
  for (let sent = 0; sent < 50; sent += 1) quiet.push(await push(target, images, sent));
  const busy: Steps["busy"] = { plan: [], carryOut: [], undo: [] };
  let current: Step = "plan";
  let isOver = false;
  const pushing = (async () => {
    for (let sent = 0; !isOver; sent += 1) {
      const step = current;
      busy[step].push(await push(target, images, sent));
    }
  })();
  let calls = 0;
  const timed = async (step: Step, path: string, whileState: string, body: object) => {
    current = step;
    const began = performance.now();
    let plan = await call(path, body);
    for (calls += 1; plan.state === whileState; calls += 1) plan = await call(path, body);
    return { plan, ms: performance.now() - began };
  };
  try {
    say("rules: making a plan");
    const made = await timed("plan", `expiryPlans/${repo}`, "", {});
    say("rules: carrying it out");
    const { uid } = made.plan;
    await letPullsBeKnown(platform, uid);
    const done = await timed(
      "carryOut",
      `expiryPlans/${uid}:carryOut`,
      "EXPIRY_PLAN_STATE_RUNNING",
      {},
    );
    say("rules: undoing it");
    const undone = await timed("undo", `expiryPlans/${uid}:undo`, "EXPIRY_PLAN_STATE_UNDOING", {});
    return { plan: made.ms, carryOut: done.ms, undo: undone.ms, calls, quiet, busy };
  } finally {
    isOver = true;
    await pushing;
  }
}

/** Returns the milliseconds of a push of a tag. */
async function push(target: ImageTarget, images: SmallImage[], sent: number): Promise<number> {
  const image = images[sent % 2];
  if (!image) throw new Error("there are two images");
  const began = performance.now();
  const { status } = await putManifest(target, "latest", image);
  if (status !== 201) throw new Error(`a push got ${status}`);
  return performance.now() - began;
}

function toResults({ plan, carryOut, undo, calls, quiet, busy }: Steps): {
  table: Table;
  goals: Goal[];
} {
  const all = Object.values(busy).flat();
  const slowestOf = (values: number[]) => Number(Math.max(0, ...values).toFixed(1));
  const slowest = slowestOf(all);
  const seconds = (ms: number) => Number((ms / 1_000).toFixed(1));
  const ms = (values: number[], share: number) => Number(percentile(values, share).toFixed(1));
  return {
    table: {
      title: `A plan of ${tagCount} tags, of which a half expires with its images`,
      head: ["step", "figure"],
      rows: [
        ["making the plan, s", seconds(plan)],
        ["carrying it out, s", seconds(carryOut)],
        ["undoing it, s", seconds(undo)],
        ["calls", calls],
        ["a push without a plan, median, ms", ms(quiet, 0.5)],
        ["a push during all of it, median, ms", ms(all, 0.5)],
        ["a push during all of it, p99, ms", ms(all, 0.99)],
        ["the slowest push while the plan is made, ms", slowestOf(busy.plan)],
        ["the slowest push while it is carried out, ms", slowestOf(busy.carryOut)],
        ["the slowest push while it is undone, ms", slowestOf(busy.undo)],
      ],
    },
    goals: [
      {
        what: `a plan of a repository of ${tagCount} tags`,
        bound: `under ${bounds.plan / 1_000} s`,
        measured: `${seconds(plan)} s`,
        kept: plan < bounds.plan,
      },
      {
        what: "the slowest push while a plan is made, carried out and undone",
        bound: `under ${bounds.push} ms`,
        measured: `${slowest.toFixed(0)} ms`,
        kept: slowest < bounds.push,
      },
    ],
  };
}
