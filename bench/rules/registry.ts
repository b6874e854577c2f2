/** Measures in turn how fast a tag is pushed and pulled, with rules about its repository and without. */
import { join } from "node:path";
import { fillOrganization } from "../organization.ts";
import { percentile } from "../percentile.ts";
import {
  type ImageTarget,
  manifestHeaders,
  newSmallImage,
  pushBlob,
  putManifest,
  type SmallImage,
  urlOf,
} from "../registry/client.ts";
import type { BenchSetup, Goal, Table } from "../report/findings.ts";
import { shuffled } from "../shuffled.ts";
import { type BenchPlatform, makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";

const rounds = 40;
/** The requests of one kind in a round. */
const requests = 10;
/** The most that the median may be with rules, compared with that without. */
const maxGrowth = 1.1;

/** Ten rules that match the tag and allow everything that is asked, so that none ends a decision early. */
const rulesOf = (role: string): object[] => [
  ...Array.from({ length: 4 }, () => ({ keep: { roleUid: role } })),
  ...Array.from({ length: 3 }, () => ({ keep: { forward: "FORWARD_ORDER_IMAGE_TIME" } })),
  ...Array.from({ length: 3 }, () => ({
    serve: { requirement: { label: { name: "team", value: "a" } } },
  })),
];

export const registryText = `In the same way, one tag is pushed and pulled in two repositories. One has no rules, and the other one ten: four that
ask for a role, three that ask for a later time of the image, and three that choose the image of a pull by a label. All
match the tag and allow what is asked. A push sets the tag to the other of two stored manifests, and a pull is a GET of
the tag. Both repositories take turns in shuffled order, ${requests} requests each, ${rounds} times.`;

interface Measured {
  target: ImageTarget;
  images: SmallImage[];
  latencies: Record<"push" | "pull", number[]>;
}

/** Measures pushes and pulls in both repositories. */
export async function measureRegistry({
  bundle,
  folder,
  say,
}: BenchSetup): Promise<{ table: Table; goals: Goal[] }> {
  const workFolder = join(folder, "rules");
  const { root, owner } = fillOrganization(await makeDatabase(workFolder), 1_000);
  const platform = await startBenchPlatform(bundle, workFolder, { meter: false });
  try {
    const token = await platform.tokenFor(owner, platform.registryAudience);
    const prepared = ["plain", "ruled"].map((name) =>
      prepare({ origin: platform.url, image: `${root}/${name}`, token }),
    );
    const [plain, ruled] = await Promise.all(prepared);
    if (!plain || !ruled) throw new Error("there are two repositories");
    await createRules(platform, await platform.tokenFor(owner), root);
    say("rules: pushes and pulls");
    for (let round = 0; round < rounds; round += 1) {
      for (const one of shuffled([plain, ruled])) await measure(one, round);
    }
    return toResults(plain, ruled);
  } finally {
    await platform.stop();
    await removeFolder(workFolder);
  }
}

async function prepare(target: ImageTarget): Promise<Measured> {
  const images = [labelled(), labelled()];
  for (const image of images) {
    for (const blob of image.blobs) await pushBlob(target, blob);
    await putManifest(target, "latest", image);
  }
  return { target, images, latencies: { push: [], pull: [] } };
}

const labelled = () =>
  newSmallImage({ created: "2026-01-02T03:04:05Z", config: { Labels: { team: "a" } } });

async function createRules(platform: BenchPlatform, token: string, root: string): Promise<void> {
  const [role] = await platform.db
    .prepare("select role_uid as uid from role_bindings limit 1")
    .all<{ uid: string }>()
    .then(({ results }) => results);
  const [repo] = await platform.db
    .prepare("select uid from repos where parent = ? and name = 'ruled'")
    .bind(root)
    .all<{ uid: string }>()
    .then(({ results }) => results);
  for (const [at, rule] of rulesOf(role?.uid ?? "").entries()) {
    const body = { name: `rule-${at}`, includeTags: ["other-*", "lat*"], ...rule };
    const answer = await fetch(`${platform.url}/registry/v2/tagRules/${repo?.uid}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

async function measure({ target, images, latencies }: Measured, round: number): Promise<void> {
  for (let sent = 0; sent < requests; sent += 1) {
    const image = images[(round * requests + sent) % 2];
    if (!image) throw new Error("there are two images");
    const pushed = performance.now();
    const { status } = await putManifest(target, "latest", image);
    const stored = performance.now();
    const answer = await fetch(urlOf(target, "manifests/latest"), {
      headers: manifestHeaders(target),
    });
    await answer.arrayBuffer();
    if (status !== 201 || answer.status !== 200) throw new Error(`${status} ${answer.status}`);
    latencies.push.push(stored - pushed);
    latencies.pull.push(performance.now() - stored);
  }
}

function toResults(plain: Measured, ruled: Measured): { table: Table; goals: Goal[] } {
  const medians = (["push", "pull"] as const).map((kind) => {
    const [without, having] = [plain, ruled].map(({ latencies }) =>
      percentile(latencies[kind], 0.5),
    );
    const growth = Number(having) / Number(without);
    return { kind, without: Number(without), having: Number(having), growth };
  });
  return {
    table: {
      title: "Latency of a push and a pull with ten rules",
      head: ["request", "without rules, median, ms", "with 10 rules, median, ms", "×"],
      rows: medians.map(({ kind, without, having, growth }) => [
        kind,
        ...[without, having, growth].map((figure) => Number(figure.toFixed(2))),
      ]),
    },
    goals: medians.map(({ kind, growth }) => ({
      what: `a ${kind} of a repository with 10 rules, compared with one without: median`,
      bound: `at most ${maxGrowth} ×`,
      measured: `${growth.toFixed(2)} ×`,
      kept: growth <= maxGrowth,
    })),
  };
}
