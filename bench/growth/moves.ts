/** Made-up tag moves for the measurement of `platformctl import tag-moves`. They are the same in every run. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { randomNumbers } from "../../test/world/random.ts";

const repos = 40;
/** The tags of a repository. One in eight moves belongs to one of the few tags that move often. */
const tags = 300;
const busyTags = 4;
const begun = Date.UTC(2020, 0, 1);

/** Writes this number of moves as JSON lines, oldest first. Each move has its own digest. */
export async function writeMoves(path: string, count: number): Promise<void> {
  const random = randomNumbers(count);
  const below = (limit: number) => Math.floor(random() * limit);
  let time = begun;
  const lines = Array.from({ length: count }, (_, index) => {
    time += 1000 * (1 + below(7200));
    const tag = random() < 1 / 8 ? below(busyTags) : busyTags + below(tags);
    return JSON.stringify({
      updateTimestamp: new Date(time).toISOString(),
      repo: `image-${below(repos)}`,
      tag: tag < busyTags ? `latest-${tag}` : `1.${tag}`,
      digest: `sha256:${createHash("sha256").update(String(index)).digest("hex")}`,
    });
  });
  await writeFile(path, `${lines.join("\n")}\n`);
}
