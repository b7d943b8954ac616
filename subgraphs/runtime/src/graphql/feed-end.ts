/** The last item in a feed that did not end by the subscriber's own wish: the resolver answers with its reason. */
export class FeedEnd {
  constructor(readonly reason: unknown) {}
}
