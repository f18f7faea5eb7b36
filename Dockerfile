# Periscope without the parts that serve development: the database and the node are elsewhere.

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Source maps and types are a third of the packages, and never read at run time.
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete

FROM node:24-slim
ARG VERSION=0.2.0
# docker build --build-arg COMMIT=$(git rev-parse HEAD) names the commit in /health.
ARG COMMIT=
LABEL org.opencontainers.image.title="Periscope" \
  org.opencontainers.image.description="A block-explorer API server anybody can run" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$COMMIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY src src
# /data takes everything that is written: compilers and temporary files.
RUN mkdir -p /data dist && chown 1000:1000 /data && printf %s "$COMMIT" > dist/commit
USER 1000
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
