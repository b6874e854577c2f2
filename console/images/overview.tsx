/** The properties of an image, the commands that pull it, and how it runs. For an index, its platforms. */
import { Link } from "wouter-preact";
import type { ImageContents, Manifest } from "../../client/index.ts";
import { useImageName } from "../data/references.ts";
import { Badge } from "../elements/badge.tsx";
import { formatBytes } from "../elements/bytes.ts";
import { CopyLine, Digest } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Answer, Empty, Loading } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { factsOf, type ImageFacts, isUnset } from "./documents.ts";
import type { ViewProps } from "./part_links.tsx";
import { Platforms } from "./platforms.tsx";
import { Pairs, Settings } from "./settings.tsx";
import { type ImageAddress, useContents, useManifest, useTagsNow } from "./use_image.ts";
import { signatureWords } from "./verdicts.tsx";

export function Overview({ image, name }: ViewProps) {
  const manifest = useManifest(image);
  const contents = useContents(image, name);
  const { data } = contents;
  if (contents.isPending || manifest.isPending) return <Loading lines={8} />;
  if (contents.error)
    return <ErrorNotice error={contents.error} retry={() => void contents.refetch()} />;
  const facts = data ? factsOf(data) : undefined;
  return (
    <>
      {!data && <Missing isKnown={Boolean(manifest.data)} />}
      <Section title="Image">
        <ImageLines image={image} manifest={manifest.data} facts={facts} contents={data} />
      </Section>
      {data && facts?.isIndex && <Platforms image={image} contents={data} />}
      <Pull image={image} name={name} />
      {data && facts?.platform && <Settings contents={data} />}
      {facts && facts.annotations.length > 0 && (
        <Section title="Annotations">
          <Pairs label="Annotations" pairs={facts.annotations} />
        </Section>
      )}
    </>
  );
}

/** Why there is so little to see. */
function Missing({ isKnown }: { isKnown: boolean }) {
  return (
    <Empty title="The registry does not have the content of this image">
      <p>
        {isKnown
          ? "Its manifest was imported, without the layers. "
          : "A tag points or pointed to this digest, and no one has pushed the image here. "}
        Read how to <a href="/docs/push-and-pull">push an image</a>.
      </p>
    </Empty>
  );
}

interface LinesProps {
  image: ImageAddress;
  manifest: Manifest | null | undefined;
  contents: ImageContents | null | undefined;
  facts: ImageFacts | undefined;
}

function ImageLines({ image, manifest, contents, facts }: LinesProps) {
  const platform = facts?.platform ?? manifest?.architectures?.join(", ");
  const size = facts && !facts.isIndex ? facts.size : Number(manifest?.size ?? 0);
  const created = facts?.created ?? manifest?.imageCreateTime;
  const type = contents?.mediaType ?? manifest?.mediaType;
  return (
    <Facts
      facts={[
        ["Tags", <TagsNow key="tags" image={image} />],
        ["Platform", platform && <bdi>{platform}</bdi>],
        ["Size to pull", size > 0 && formatBytes(size)],
        ["Built", created && (isUnset(created) ? "Not recorded" : <Time time={created} />)],
        ["Stored", manifest?.createTime && <Time time={manifest.createTime} />],
        ["Media type", type && <code>{type}</code>],
        ["Artifact type", facts?.artifactType && <code>{facts.artifactType}</code>],
        ["Refers to", facts?.subject && <Subject image={image} digest={facts.subject} />],
        ["Author", facts?.author && <bdi>{facts.author}</bdi>],
        ["Signatures", manifest && signatureWords(manifest)],
      ]}
    />
  );
}

function Subject({ image, digest }: { image: ImageAddress; digest: string }) {
  return (
    <>
      <Link href={addresses.image(image.repo, digest)}>the image</Link> <Digest digest={digest} />
    </>
  );
}

function TagsNow({ image }: { image: ImageAddress }) {
  const tags = useTagsNow(image);
  return (
    <Answer query={tags} lines={1}>
      {(loaded) =>
        loaded.length === 0 ? (
          <span class="pale">No tag points here now</span>
        ) : (
          <span class="badges">
            {loaded.map(({ uid, name }) => (
              <Link key={uid} class="images-tag" href={addresses.tag(uid)}>
                <Badge>{name}</Badge>
              </Link>
            ))}
          </span>
        )
      }
    </Answer>
  );
}

function Pull({ image: { repo, digest }, name }: ViewProps) {
  const path = useImageName({ uid: repo, name });
  if (path === undefined) return null;
  const reference = `${path}@${digest}`;
  return (
    <Section title="Pull by digest">
      <p class="pale">A digest always names the same image, also after its tags have moved.</p>
      <div class="images-lines">
        <CopyLine text={`docker pull ${reference}`} what="command for Docker" />
        <CopyLine text={`platformctl pull ${reference} image.tar`} what="command for platformctl" />
      </div>
      <p class="pale">Commands that import documents about the image name it like this:</p>
      <CopyLine text={`--image ${repo}@${digest}`} what="name for imports" />
    </Section>
  );
}
