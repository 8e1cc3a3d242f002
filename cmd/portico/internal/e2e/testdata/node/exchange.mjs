import { done } from './talk.mjs'
// guide: js 1

// The rest is not in the guide: what comes of it, and of what is refused.
const got = await next(process.env.SENT)
const refused = await next('x.y.z').catch((e) => ({ error: e.error, status: e.status }))
done({ token: got.access_token, scope: got.scope, issued: got.issued_token_type, refresh: got.refresh_token ?? '', refused })
