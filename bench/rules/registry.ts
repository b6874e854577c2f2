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

const many = (count: number, rule: object): object[] => Array.from({ length: count }, () => rule);

/** Ten rules for each repository. They match the tag and allow everything that is asked, so that none ends a decision early. */
const rulesOf: Record<string, (role: string) => object[]> = {
  plain: () => [],
  simple: (roleUid) => [
    ...many(5, { keep: { roleUid } }),
    ...many(5, { serve: { cooldownHours: 1 } }),
  ],
  knowing: (roleUid) => [
    ...many(4, { keep: { roleUid } }),
    ...many(3, { keep: { forward: "FORWARD_ORDER_IMAGE_TIME" } }),
    ...many(3, { serve: { requirement: { label: { name: "team", value: "a" } } } }),
  ],
};

export const registryText = `In the same way, one tag is pushed and pulled in three repositories. One has no rules. One has ten rules that need to
know nothing of images: five ask for a role, and five let images cool down. One has ten of which six need to know
something, which takes one more round trip: four ask for a role, three for a later time of the image, and three choose
the image of a pull by a label. All match the tag and allow what is asked. A push sets the tag to the other of two stored
manifests, and a pull is a GET of the tag. The repositories take turns in shuffled order, ${requests} requests each,
${rounds} times.`;

interface Measured {
  name: string;
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
    const api = await platform.tokenFor(owner);
    const measured: Measured[] = [];
    for (const name of Object.keys(rulesOf)) {
      const one = await prepare(name, { origin: platform.url, image: `${root}/${name}`, token });
      await createRules(platform, api, root, one);
      measured.push(one);
    }
    say("rules: pushes and pulls");
    for (let round = 0; round < rounds; round += 1) {
      for (const one of shuffled(measured)) await measure(one, round);
    }
    return toResults(measured);
  } finally {
    await platform.stop();
    await removeFolder(workFolder);
  }
}

async function prepare(name: string, target: ImageTarget): Promise<Measured> {
  const images = [labelled(), labelled()];
  for (const image of images) {
    for (const blob of image.blobs) await pushBlob(target, blob);
    await putManifest(target, image.manifest.digest, image);
  }
  return { name, target, images, latencies: { push: [], pull: [] } };
}

const labelled = () =>
  newSmallImage({ created: "2026-01-02T03:04:05Z", config: { Labels: { team: "a" } } });

/** Creates the rules, and moves of long ago to both images, so that they have cooled down. */
async function createRules(
  platform: BenchPlatform,
  token: string,
  root: string,
  { name, images }: Measured,
): Promise<void> {
  const first = async (query: string, ...values: string[]) => {
    const { results } = await platform.db
      .prepare(query)
      .bind(...values)
      .all<{ uid: string }>();
    return results[0]?.uid ?? "";
  };
  const role = await first(
    "select role_uid as uid from role_bindings where parent = ? limit 1",
    root,
  );
  const repo = await first("select uid from repos where parent = ? and name = ?", root, name);
  const send = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${platform.url}${path}`, request);
    if (!answer.ok) throw new Error(await answer.text());
  };
  const moves = images.map(({ manifest: { digest } }, at) => ({
    ...{ repo: name, tag: "latest", digest },
    updateTime: new Date(Date.now() - (at + 2) * 3_600_000).toISOString(),
  }));
  await send(`/registry/v2/tagMoves/${root}:import`, { moves });
  for (const [at, rule] of (rulesOf[name]?.(role) ?? []).entries()) {
    const body = { name: `rule-${at}`, includeTags: ["other-*", "lat*"], ...rule };
    await send(`/registry/v2/tagRules/${repo}`, body);
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

const kinds = ["push", "pull"] as const;
const titles: Record<string, string> = {
  plain: "no rules",
  simple: "10 rules that need to know nothing",
  knowing: "10 rules, of which 6 need to know something",
};

function toResults(measured: Measured[]): { table: Table; goals: Goal[] } {
  const medianOf = ({ latencies }: Measured, kind: (typeof kinds)[number]) =>
    percentile(latencies[kind], 0.5);
  const [plain, ...ruled] = measured;
  if (!plain) throw new Error("there is a repository without rules");
  return {
    table: {
      title: "Latency of a push and a pull with ten rules",
      head: ["rules", ...kinds.map((kind) => `${kind}, median, ms`)],
      rows: measured.map((one) => [
        titles[one.name] ?? one.name,
        ...kinds.map((kind) => Number(medianOf(one, kind).toFixed(2))),
      ]),
    },
    goals: ruled.flatMap((one) =>
      kinds.map((kind) => {
        const growth = medianOf(one, kind) / medianOf(plain, kind);
        return {
          what: `a ${kind} with ${titles[one.name]}, compared with one without rules: median`,
          bound: `at most ${maxGrowth} ×`,
          measured: `${growth.toFixed(2)} ×`,
          kept: growth <= maxGrowth,
        };
      }),
    ),
  };
}
