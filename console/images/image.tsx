/** One image of a repository: a manifest for one platform, or an index of several. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { shortDigest } from "../data/digests.ts";
import { useParameters } from "../data/parameters.ts";
import { rootOf } from "../data/uids.ts";
import { CopyButton } from "../elements/copy.tsx";
import { Page, Views } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { Attachments } from "./attachments.tsx";
import { ImageFindings } from "./findings.tsx";
import { Layers } from "./layers.tsx";
import { Overview } from "./overview.tsx";
import { ImagePackages } from "./packages.tsx";
import type { ViewProps } from "./part_links.tsx";
import { ImagePulls } from "./pulls.tsx";
import { ImageTags } from "./tags.tsx";
import {
  type ImageAddress,
  readImageAddress,
  useIndex,
  useRepo,
  useSummaries,
} from "./use_image.ts";

const views: [string, string, (props: ViewProps) => ComponentChildren][] = [
  ["", "Overview", Overview],
  ["layers", "Layers", Layers],
  ["packages", "Packages", ImagePackages],
  ["vulnerabilities", "Vulnerabilities", ImageFindings],
  ["tags", "Tags", ImageTags],
  ["pulls", "Pulls", ImagePulls],
  ["attachments", "Attachments", Attachments],
];

export default function Image({ rest }: PageProps) {
  const image = readImageAddress(rest);
  if (image) return <ShownImage key={rest} image={image} />;
  return (
    <Page title="Image">
      <Empty title="This address does not name an image">
        <p>
          The address of an image ends with the uid of its repository, an <code>@</code> and a
          digest.
        </p>
      </Empty>
    </Page>
  );
}

function ShownImage({ image }: { image: ImageAddress }) {
  const repo = useRepo(image.repo);
  const index = useIndex(image);
  return (
    <PageAnswer
      query={repo}
      title="Image"
      path={[["Repositories", addresses.repositories(rootOf(image.repo))]]}
    >
      {({ name }) => (
        <Page
          title={`${name}@${shortDigest(image.digest)}`}
          path={[
            ["Repositories", addresses.repositories(rootOf(image.repo))],
            [name, addresses.repository(image.repo)],
            ...(index
              ? [[`index ${shortDigest(index)}`, addresses.image(image.repo, index)] as const]
              : []),
          ]}
          actions={
            <Link class="button" href={addresses.compare(`${image.repo}@${image.digest}`)}>
              Compare with…
            </Link>
          }
          lead={
            <span class="images-digest">
              <code>{image.digest}</code>
              <CopyButton text={image.digest} what="digest" />
            </span>
          }
        >
          <View image={image} name={name} />
        </Page>
      )}
    </PageAnswer>
  );
}

function View({ image, name }: ViewProps) {
  const { get } = useParameters();
  const { data: summaries } = useSummaries(image.repo, [image.digest]);
  const findings = summaries?.get(image.digest)?.findings;
  const count = findings
    ? findings.critical + findings.high + findings.medium + findings.low + findings.negligible
    : 0;
  const index = get("index");
  const address = (view: string) => addresses.image(image.repo, image.digest, { view, index });
  const current = views.find(([view]) => view === get("view")) ?? views[0];
  if (!current) return null;
  const [, , Content] = current;
  return (
    <>
      <Views
        label="Views of the image"
        current={address(current[0])}
        views={views.map(([view, text]) => [
          address(view),
          view === "vulnerabilities" && count > 0 ? `${text} ${count}` : text,
        ])}
      />
      <Content image={image} name={name} />
    </>
  );
}
