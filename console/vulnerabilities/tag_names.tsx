/** The tags that lead to an image now, as many as fit. */
export function TagNames({ tags = [] }: { tags: readonly string[] | undefined }) {
  if (tags.length === 0) return <span class="pale">no tag</span>;
  const text = tags.join(", ");
  return <bdi title={text}>{text}</bdi>;
}
