import { describe, expect, test } from "vitest";
import { documentBreaches, Project } from "../../../cli/check/docs.ts";
import { sourceFiles } from "../../../cli/check/files.ts";
import { projectRoot } from "../../../cli/project.ts";

const project = new Project(projectRoot, sourceFiles(projectRoot));
const breachesOf = (text: string) => documentBreaches(project, "README.md", text);

describe("npm run check names the line if", () => {
  test.each(["`src/rpc/nowhere.ts`", "`src/nowhere`", "`nowhere.ts`", "`docs/API.md`"])(
    "a document names %s",
    (text) => {
      expect(breachesOf(`\n\`\`\`sh\n${text}\n\`\`\`\n${text}`)).toEqual([
        `README.md:5: ${text.replaceAll("`", "")} does not exist`,
      ]);
    },
  );

  test.each(["nowhere.md", "#nowhere", "CONTRIBUTING.md#nowhere"])(
    "a document links %s",
    (href) => {
      expect(breachesOf(`# Title\n[x](${href})`)).toEqual([
        `README.md:2: the link ${href} leads nowhere`,
      ]);
    },
  );
});

test.each(["`.platform/previews`", "`site/dist/index.html`", "`node_modules/none`"])(
  "a document can name %s, which programs create and git ignores",
  (text) => expect(breachesOf(text)).toEqual([]),
);

test.each(["`src/rpc/status.ts`", "`status.ts`", "[x](CONTRIBUTING.md#commands)", "[x](#title)"])(
  "a document can name %s",
  (text) => expect(breachesOf(`# Title\n${text}`)).toEqual([]),
);
