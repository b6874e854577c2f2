/** A card of the first page. It loads, fails and refuses on its own. */
import type { ComponentChildren, VNode } from "preact";
import { Link } from "wouter-preact";
import { PermissionDenied } from "../../client/index.ts";
import { CopyLine } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { type Answered, Loading } from "../elements/states.tsx";

interface CardProps<Data> {
  title: string;
  /** The page with all rows: its text and its address below `/console`. */
  more: readonly [string, string];
  query: Answered<Data>;
  /** The capability that a person without access needs to see it. */
  capability: string;
  /** Without anything to show, the card contains this text. */
  empty: (data: Data) => ComponentChildren;
  wide?: boolean;
  /** The command with the same answer. */
  command?: string | undefined;
  children: (data: Data) => VNode;
}

export function Card<Data>(props: CardProps<Data>) {
  const { title, more, wide = false } = props;
  const [text, address] = more;
  return (
    <section class={wide ? "home-card wide" : "home-card"} aria-label={title}>
      <header class="home-card-head">
        <h2>{title}</h2>
        <Link href={address}>{text}</Link>
      </header>
      <Content {...props} />
    </section>
  );
}

function Content<Data>({ query, capability, empty, children, title, command }: CardProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    const nothing = empty(data);
    return (
      <>
        {nothing ? <p class="home-empty">{nothing}</p> : children(data)}
        {command !== undefined && (
          <div class="home-command">
            <CopyLine text={command} what="command" />
          </div>
        )}
      </>
    );
  }
  if (error instanceof PermissionDenied)
    return <p class="home-empty">You need the {capability} capability to see this.</p>;
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  return <Loading lines={3} what={`Loading: ${title}`} />;
}

/** The rows of a card, and how many more there are. */
export function CardRows({
  children,
  more,
}: {
  children: ComponentChildren;
  /** Such as `and 12 more`. */
  more?: string | undefined;
}) {
  return (
    <>
      <ul class="home-rows">{children}</ul>
      {more && <p class="home-more">{more}</p>}
    </>
  );
}

/** A row: what it is about, a few words, and a time or a number at its end. */
export function CardRow({
  subject,
  note,
  end,
}: {
  subject: ComponentChildren;
  note?: ComponentChildren;
  end?: ComponentChildren;
}) {
  return (
    <li>
      <span class="home-subject">{subject}</span>
      {note && <span class="home-note">{note}</span>}
      {end && <span class="home-end">{end}</span>}
    </li>
  );
}
