/** All writes. */
import { accessWrites } from "./access.ts";
import { groupWrites } from "./groups.ts";
import { knowledgeWrites } from "./knowledge.ts";
import { peopleWrites } from "./people.ts";
import { providerWrites } from "./providers.ts";
import { registryWrites } from "./registry.ts";
import { standardWrites } from "./standard.ts";
import type { Write } from "./write.ts";

export const writes: Write[] = [
  ...groupWrites,
  ...accessWrites,
  ...providerWrites,
  ...registryWrites,
  ...knowledgeWrites,
  ...peopleWrites,
  ...standardWrites,
];
