{{- define "portico.labels" -}}
app.kubernetes.io/name: portico
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "portico.baseURL" -}}
{{ required "baseURL must be set, for example https://id.example.test" .Values.baseURL }}
{{- end }}
{{- define "portico.host" -}}
{{ (urlParse (include "portico.baseURL" .)).host }}
{{- end }}
