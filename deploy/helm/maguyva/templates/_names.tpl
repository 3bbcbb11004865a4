{{- define "maguyva.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "maguyva.labels" -}}
{{ include "maguyva.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "maguyva.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "maguyva.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* What web and worker pods have in common; the caller gives "root" and "role". */}}
{{- define "maguyva.pod" -}}
{{- $root := .root -}}
serviceAccountName: {{ include "maguyva.name" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with $root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "maguyva.container" -}}
{{- $root := .root -}}
image: {{ include "maguyva.image" $root }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
args: ["serve", "--role", {{ .role | quote }}]
ports:
  - name: http
    containerPort: 8080
env:
  - name: MAGUYVA_PRIVATE_KEY_FILE
    value: /run/secrets/maguyva/private-key.pem
  - name: MAGUYVA_EXECUTOR
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: MAGUYVA_APP_ID
    valueFrom:
      secretKeyRef: {name: {{ $root.Values.credentials.existingSecret }}, key: MAGUYVA_APP_ID}
  - name: MAGUYVA_WEBHOOK_SECRET_FILE
    value: /run/secrets/maguyva/webhook-secret
  - name: MAGUYVA_DATABASE_URL
    valueFrom:
      secretKeyRef: {name: {{ $root.Values.database.existingSecret }}, key: MAGUYVA_DATABASE_URL}
envFrom:
  - configMapRef:
      name: {{ include "maguyva.name" $root }}
  {{- with $root.Values.store.existingSecret }}
  - secretRef:
      name: {{ . }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: ["ALL"]
startupProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 15
  timeoutSeconds: 5
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
  timeoutSeconds: 5
resources: {{ toYaml .resources | nindent 2 }}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
  - {name: credentials, mountPath: /run/secrets/maguyva, readOnly: true}
{{- end -}}

{{- define "maguyva.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: 2Gi}
- name: credentials
  secret:
    secretName: {{ .Values.credentials.existingSecret }}
    defaultMode: 0440
    items:
      - {key: private-key.pem, path: private-key.pem}
      - {key: webhook-secret, path: webhook-secret}
{{- end -}}
