/**
 * The rate of warnings in a real history. `TAG_MOVES_FILE` names a file for `platformctl import tag-moves`. Without it,
 * the test does not run, because such a file is too large for this repository.
 */
import { expect, test } from "vitest";
import { newStateFolder, platformctl } from "../../cli/command.ts";
import { newOrganization } from "../../world/personas.ts";

const file = process.env.TAG_MOVES_FILE;

type Move = { repo: string; kind: string; updateTime: string; warnings?: string[] };

test.skipIf(file === undefined)(
  "in a history of official images without attacks, at most one move in eight has a warning",
  async () => {
    const organization = await newOrganization();
    const env = { PLATFORM_STATE: await newStateFolder(organization) };
    const group = ["--group", organization.uid];
    const imported = await platformctl(["import", "tag-moves", String(file), ...group, "--json"], {
      env,
    });
    expect(imported).toMatchObject({ code: 0 });
    const listed = await platformctl(["moves", organization.uid, "--limit", "999999", "--json"], {
      env,
    });
    const { tagMoves } = JSON.parse(listed.out) as { tagMoves: Move[] };
    expect(tagMoves).toHaveLength(JSON.parse(imported.out).recordedMoves);
    const moved = tagMoves.filter(({ kind }) => kind !== "TAG_MOVE_KIND_CREATED");
    const warned = moved.filter(({ warnings = [] }) => warnings.length > 0);
    const counts: Record<string, number> = {};
    for (const one of warned.flatMap(({ warnings = [] }) => warnings))
      counts[one] = (counts[one] ?? 0) + 1;
    const days = new Set(
      warned.map(({ repo, updateTime }) => `${repo} ${updateTime.slice(0, 10)}`),
    );
    console.log({ moved: moved.length, warned: warned.length, ...counts, repoDays: days.size });
    expect(warned.length / moved.length).toBeLessThan(1 / 8);
  },
  600_000,
);
