# Periscope without the parts that serve development: the database and the node are elsewhere.

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY src src
# docker build --build-arg COMMIT=$(git rev-parse HEAD) names the commit in /health.
ARG COMMIT=
RUN mkdir dist && echo "$COMMIT" > dist/commit
# Compilers are kept here; nothing else is ever written.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
